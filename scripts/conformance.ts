/** `npm run conformance`: checks the API, its OpenAPI document and a running server with third-party tools. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import { lintApi, lintBroken, lintOthers, lintRedocly } from '../conformance/lint.ts'
import { libraries } from '../conformance/libraries.ts'
import { client, proxy, respect, startApp } from '../conformance/live.ts'
import { mcpSuite } from '../conformance/mcp.ts'
import { mcpInspector } from '../conformance/mcp-inspector.ts'
import { CACHE, FOLDER, type Verdict } from '../conformance/tools.ts'
import { capture } from './run.ts'

interface Step {
  readonly about: string
  /** Lanes run side by side, and the steps of a lane one after the other. */
  readonly lane: 'documents' | 'clients' | 'mcp'
  run(server: string): Promise<Verdict>
}

const STEPS: Readonly<Record<string, Step>> = {
  rules: { about: 'our conventions as Spectral rules', lane: 'documents', run: lintApi },
  breakages: { about: 'every one of those rules finds its fault', lane: 'documents', run: lintBroken },
  others: {
    about: 'the rules of OWASP and Zalando; waivers.md says which are off, and why',
    lane: 'documents',
    run: lintOthers,
  },
  redocly: { about: 'the strict rules of Redocly', lane: 'documents', run: lintRedocly },
  respect: { about: 'an Arazzo workflow, run by Redocly Respect', lane: 'clients', run: respect },
  prism: { about: 'right and wrong requests through the Prism proxy', lane: 'clients', run: proxy },
  client: { about: 'a client of openapi-typescript and openapi-fetch', lane: 'clients', run: client },
  libraries: {
    about: 'the code for other model libraries in the guide, with models that call tools',
    lane: 'clients',
    run: libraries,
  },
  mcp: { about: 'the conformance suite of MCP, on Node 22', lane: 'mcp', run: mcpSuite },
  inspector: { about: "the command-line client of MCP's inspector, on Node 22", lane: 'mcp', run: mcpInspector },
}

// Child processes exit with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    /** Only installs the tools. */
    install: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const unknown = values.only.filter((name) => !(name in STEPS))

if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`Unknown step: ${unknown.join(', ')}.\n`)
  console.log('npm run conformance [-- --install | --only NAME …], where NAME is one of:')
  for (const [name, { about }] of Object.entries(STEPS)) console.log(`  ${name.padEnd(10)} ${about}`)
  process.exitCode = unknown.length > 0 ? 1 : 0
} else {
  process.exitCode = (await install()) && (values.install || (await runAll())) ? 0 : 1
}

/** Installs the tools next to their rules, on first use or after a change. */
async function install(): Promise<boolean> {
  const lock = await readFile(join(FOLDER, 'package-lock.json'), 'utf8')
  const mark = join(FOLDER, 'node_modules/.installed.json')
  if (existsSync(mark) && (await readFile(mark, 'utf8')) === lock) return true
  console.log('Installing the tools …')
  // Skip install scripts: the one of a tool sends telemetry.
  const { code, output } = await capture(`npm ci --prefix '${FOLDER}' --ignore-scripts --no-audit --no-fund`)
  if (code === 0) await writeFile(mark, lock)
  else console.error(output)
  return code === 0
}

async function runAll(): Promise<boolean> {
  const app = await startApp()
  try {
    await writeDocuments(app.url)
    const chosen = Object.entries(STEPS).filter(([name]) => values.only.length === 0 || values.only.includes(name))
    const failed: string[] = []
    const runLane = async (lane: Step['lane']): Promise<void> => {
      for (const [name, step] of chosen)
        if (step.lane === lane && !(await runStep(name, step, app.url))) failed.push(name)
    }
    await Promise.all([runLane('documents'), runLane('clients'), runLane('mcp')])
    const passed = chosen.length - failed.length
    console.log(
      `\nconformance: ${passed} passed, ${failed.length} failed${failed.length > 0 ? `: ${failed.join(', ')}` : ''}`,
    )
    return failed.length === 0
  } finally {
    await app.close()
  }
}

async function writeDocuments(server: string): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  for (const major of [1, 2]) {
    const response = await fetch(`${server}/api/v${major}/openapi.json`)
    if (!response.ok) throw new Error(`the app has no document of version ${major}: ${response.status}`)
    await writeFile(join(CACHE, `openapi-v${major}.json`), await response.text())
  }
}

async function runStep(name: string, { run }: Step, server: string): Promise<boolean> {
  const started = performance.now()
  const { summary, faults } = await run(server).catch((error: unknown): Verdict => ({
    summary: 'failed',
    faults: [String(error)],
  }))
  const isOk = faults.length === 0
  const verdict = isOk ? styleText('green', 'ok    ') : styleText('red', 'FAILED')
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`  ${name.padEnd(10)} ${verdict} ${seconds.padStart(5)} s  ${summary}`)
  for (const fault of faults) console.log(fault.replaceAll(/^/gm, '      '))
  return isOk
}
