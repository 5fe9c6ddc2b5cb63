import type { Packed } from '../publishable.ts'
import type { RehearsalResult } from './rehearsal.ts'

/** Returns a table of the tarball sizes, with their sum. */
export function formatSizes(packages: readonly Pick<Packed, 'name' | 'size' | 'unpackedSize' | 'files'>[]): string {
  const rows = packages.map(({ name, size, unpackedSize, files }) => [
    name,
    toKilobytes(size),
    toKilobytes(unpackedSize),
    String(files.length),
  ])
  const sum = (pick: (pkg: (typeof packages)[number]) => number): number =>
    packages.reduce((total, pkg) => total + pick(pkg), 0)
  const total = ['together', toKilobytes(sum((pkg) => pkg.size)), toKilobytes(sum((pkg) => pkg.unpackedSize))]
  return formatTable([
    ['package', 'packed', 'unpacked', 'files'],
    ...rows,
    [...total, String(sum((pkg) => pkg.files.length))],
  ])
}

/** Returns the table of a rehearsal. */
export function formatResults(results: readonly RehearsalResult[]): string {
  const rows = results.map(({ name, version, createSeconds, testSeconds, failure, missing }) => [
    name,
    version,
    toSeconds(createSeconds),
    toSeconds(testSeconds),
    failure === null ? 'ok' : missing === null ? 'FAILED' : `FAILED: the registry lacks ${missing}`,
  ])
  return formatTable([['manager', 'version', 'create', 'test', 'result'], ...rows])
}

/** Aligns columns: names on the left, figures on the right. */
function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const format = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)
  return rows.map((row) => `  ${row.map(format).join('  ')}`).join('\n')
}

function toKilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}

function toSeconds(seconds: number | null): string {
  return seconds === null ? '–' : `${seconds.toFixed(1)} s`
}
