import type { TerminalStyle } from '@sdk/server/node'
import type { BuildResult } from './build-project.ts'
import { toTable } from '../terminal.ts'

/** Formats the result of a build for the terminal: each file with its size and compressed sizes. */
export function toBuildReport({ serverSize, externals, web }: BuildResult, paint: TerminalStyle): string[] {
  const needs = Object.entries(externals).map(([name, version]) => `${name}@${version}`)
  const rows = [
    ['', 'size', 'gzip', 'brotli'],
    ['dist/server', kB(serverSize), '', ''],
    ...web.map(({ name, sizes }) => [`dist/web/${name}`, kB(sizes.identity), kB(sizes.gzip), kB(sizes.br)]),
  ]
  const [head = '', ...lines] = toTable(alignRight(rows))
  return [
    `  ${paint.dim(head)}`,
    ...lines.map((line) => `  ${line}`),
    ...(needs.length > 0 ? [`  ${paint.dim(`dist/server requires ${needs.join(', ')}`)}`] : []),
  ]
}

function alignRight(rows: readonly (readonly string[])[]): string[][] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => row.map((cell, column) => (column === 0 ? cell : cell.padStart(widths[column] ?? 0))))
}

function kB(bytes: number | undefined): string {
  return bytes === undefined ? '' : `${(bytes / 1000).toFixed(1)} kB`
}
