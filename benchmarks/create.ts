/**
 * Measures the time from an empty folder to the first page: `npm create @sdk` (from this clone's tarballs) and
 * `create-vite` with React and TypeScript, alternating in one run. Each creates a project, installs it from a warm npm
 * cache, starts its dev server and opens the page in Chromium. The clock stops when the page has rendered its text.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { launchBrowser, startProcess, temporaryFolder, type Browser } from '@sdk/test-kit'
import { packAll } from '../scripts/publishable.ts'
import { middle } from './harness/middle.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const PATIENCE = 600_000
const QUIET = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
const root = join(import.meta.dirname, '..')

interface Contestant {
  readonly name: string
  /** Creates and installs `app` in an empty folder. */
  make(folder: string): Promise<void>
  /** The command of its dev server, run inside the app. */
  readonly dev: readonly [file: string, ...args: string[]]
  /** The text of its page. */
  readonly text: string
}

/** Seconds to create and install, then to the page; for each round. */
const samples = new Map<string, { install: number[]; page: number[] }>()
const tarballs = join(temporaryFolder('bench').path, 'tarballs')
await packAll(tarballs)
const browser = await launchBrowser()
const contestants = [ours('default'), ours('minimal'), viteApp()]
try {
  for (let round = 0; round <= ROUNDS; round++) {
    for (const contestant of contestants) await runOnce(contestant, { round, browser })
  }
} finally {
  await browser.close()
}
print()

function ours(template: string): Contestant {
  const create = join(root, 'packages/create/bin/create.js')
  return {
    name: `@sdk, ${template}`,
    make: (folder) =>
      finish(process.execPath, [create, 'app', '--template', template, '--packages', tarballs, '--yes'], folder),
    dev: ['node_modules/@sdk/cli/bin/sdk.js', 'dev'],
    text: 'Your app is running',
  }
}

function viteApp(): Contestant {
  return {
    name: 'create-vite, react-ts',
    async make(folder) {
      const args = ['exec', '--yes', '--prefer-offline', '--', 'create-vite@latest']
      await finish('npm', [...args, 'app', '--template', 'react-ts', '--no-interactive'], folder)
      pin(join(folder, 'app/package.json'))
      await finish('npm', ['install', ...QUIET], join(folder, 'app'))
    },
    dev: ['node_modules/vite/bin/vite.js', '--host', '127.0.0.1'],
    text: 'Count is 0',
  }
}

/** Pins the bundler: the version that Vite would install lacks the binary for some platforms. */
function pin(file: string): void {
  const { overrides } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { overrides: object }
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ ...manifest, overrides }, null, 2))
}

async function runOnce(contestant: Contestant, turn: { round: number; browser: Browser }): Promise<void> {
  const folder = temporaryFolder('bench')
  const started = performance.now()
  await contestant.make(folder.path)
  const installed = performance.now()
  await openPage(contestant, { folder: folder.path, browser: turn.browser })
  const seen = performance.now()
  folder.remove()
  if (turn.round === 0) return // fills the caches
  const sample = samples.get(contestant.name) ?? { install: [], page: [] }
  sample.install.push((installed - started) / 1000)
  sample.page.push((seen - installed) / 1000)
  samples.set(contestant.name, sample)
}

async function openPage(
  { dev, text }: Contestant,
  { folder, browser: chromium }: { folder: string; browser: Browser },
) {
  const cwd = join(folder, 'app')
  const [file, ...args] = dev
  if (!existsSync(join(cwd, file))) throw new Error(`${file} does not exist`)
  const env = { PORT: '0', NODE_ENV: undefined }
  const server = await startProcess({ command: process.execPath, args: [file, ...args], cwd, env })
  const page = await chromium.newPage()
  try {
    await page.goto(await server.waitFor(/http:\/\/[\d.:]+/, { timeout: PATIENCE }))
    await page.getByText(text).first().waitFor({ timeout: PATIENCE })
  } finally {
    await page.close()
    await server.kill()
  }
}

async function finish(command: string, args: readonly string[], cwd: string): Promise<void> {
  const running = await startProcess({ command, args, cwd })
  const { code } = await running.exited
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${code}:\n${running.output()}`)
}

function print(): void {
  const rows = [...samples].map(([name, { install, page }]) => {
    const [made, seen] = [middle(install), middle(page)]
    const total = middle(install.map((seconds, index) => seconds + (page[index] ?? 0)))
    return `| ${name} | ${made.toFixed(1)} s | ${seen.toFixed(1)} s | **${total.toFixed(1)} s** |`
  })
  const load = loadavg()[0] ?? 0
  console.log(
    [
      `${ROUNDS} rounds, medians, warm npm cache, ${cpus().length} cores, load at the end ${load.toFixed(1)}`,
      '',
      '| | create and install | dev server to first page | create to first page |',
      '| --- | ---: | ---: | ---: |',
      ...rows,
    ].join('\n'),
  )
}
