import { spawnSync } from 'node:child_process'
import { arch, cpus, release, totalmem, type as osType } from 'node:os'
import type { Command } from './command.ts'
import { discover, findRoot } from '../discover.ts'
import { readDevServerInfo } from '../dev/dev-server-info.ts'
import { findEnvFiles } from '../env-files.ts'
import { dependenciesOf, readManifest, installedVersion } from '../manifest.ts'
import { toTable } from '../terminal.ts'

/** Packages whose versions are relevant for bug reports, even if the project does not depend on them directly. */
const RELATED_PACKAGES: readonly string[] = [
  'vite',
  'rolldown',
  'react',
  'react-dom',
  'typescript',
  'zod',
  'better-auth',
  'hono',
]

/** The `sdk info` command. */
export const infoCommand: Command = {
  summary: 'prints versions for bug reports, without secrets',
  mode: 'development',
  options: { json: { summary: 'prints the versions as JSON' } },
  examples: ['sdk info', 'sdk info --json'],
  async run({ cwd, terminal: { out, err }, has }) {
    const root = findRoot(cwd)
    const [machine, packages] = [readMachine(root), readVersions(root)]
    const devServer = readDevServerInfo(root)
    // The link to the workbench is printed to standard error, so that it is not part of the report.
    if (devServer !== null) err(`the running dev server's workbench (do not share this link): ${devServer.workbench}`)
    if (has('json')) return out(JSON.stringify({ ...machine, packages }, null, 2))
    const rows = [...Object.entries(machine), ...Object.entries(packages)]
    for (const line of toTable(rows.map(([name, value]) => [name, String(value)]))) out(line)
  },
}

function readMachine(root: string): Record<string, string | number> {
  const { agents, api, web } = discover(root)
  return {
    node: process.versions.node,
    npm: versionOfNpm(),
    os: `${osType()} ${release()} ${arch()}`,
    cpus: cpus().length,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    database: databaseKind(process.env['DATABASE_URL']),
    engine: (process.env['REDIS_URL'] ?? '') === '' ? 'memory' : 'redis',
    env: findEnvFiles(root, 'development').join(', ') || 'none',
    agents: agents.length,
    api: api === null ? 'none' : 'src/api/index.ts',
    web: web === null ? 'none' : 'src/web',
  }
}

function readVersions(root: string): Record<string, string | null> {
  const own = Object.keys(dependenciesOf(readManifest(root))).filter((name) => name.startsWith('@sdk/'))
  const names = [...new Set([...own, '@sdk/cli', '@sdk/server', ...RELATED_PACKAGES])].toSorted()
  const versions = names.map((name) => [name, installedVersion(root, name)] as const)
  return Object.fromEntries(versions.filter(([, version]) => version !== null))
}

/** Returns only the kind of database, since the URL may contain a password. */
function databaseKind(url = ''): string {
  if (url === '') return 'pglite (DATABASE_URL is not set)'
  return /^postgres(?:ql)?:/.test(url)
    ? 'postgres'
    : url.startsWith('pglite:')
      ? 'pglite'
      : 'DATABASE_URL is not a valid database URL'
}

function versionOfNpm(): string {
  const { stdout } = spawnSync('npm', ['--version'], { encoding: 'utf8' })
  return (stdout ?? '').trim() || 'none'
}
