/**
 * `npm run matrix [-- --short] [--node 22] [--built] [files]`: runs the tests that need no browser on every supported
 * Node, and the contract suite on Bun, Deno and workerd. `--short` runs the part that CI adds, on the versions that `npm test`
 * did not run on. `--runtimes` runs only the contract suite, and records the results for docs/reference/support.md.
 */
import { parseArgs, styleText } from 'node:util'
import { installNode, installOtherRuntimes, type InstalledNode, onNode } from './nodes.ts'
import { adviceFor, installPrograms } from './programs.ts'
import { build } from './run.ts'
import { installWorkerd } from './workerd.ts'
import { runTests } from './run-tests.ts'
import { noTotals, type Totals } from './totals-reporter.ts'

const NODES = [20, 22, 24]
const SHORT_NODES = [22, 24]

/** The contract suite, which starts the same app on each runtime. */
const CONTRACT = 'tests/runtimes/runtimes.test.ts'

/** The tests of Cloudflare Workers, which use the build. */
const WORKERS = 'tests/runtimes/workerd'

/** All projects except `types`, since compilers do not depend on the Node version. */
const PROJECTS = ['unit', 'suite', 'stores', 'fallback']

/** The tests for features in which Node versions differ. */
const SHORT_FILES = [
  'tests/matrix.test.ts', // threads, child processes and npm
  'packages/server/src/node/serve.test.ts', // start
  'packages/server/src/node/node-internals.test.ts', // undocumented members, and without them in the project `fallback`
  'packages/server/src/node/wire.test.ts', // HTTP
  'packages/server/src/node/connections.test.ts',
  'tests/conformance/http/headers.test.ts',
  'tests/conformance/http/syntax.test.ts',
  'packages/protocol/src/splitter.test.ts', // streams
  'packages/protocol/src/sse.test.ts',
  'tests/endurance/streams.test.ts',
  'packages/server/src/node/socket-server.test.ts', // sockets
  'packages/server/src/node/ws-transport.test.ts',
  'packages/frontend/src/socket/reconnecting-socket.test.ts',
  'packages/server/src/adapter/socket-drain.test.ts', // drain
  'packages/database/src/pglite/pglite-engine.test.ts', // PGlite
  'packages/database/src/pglite/pglite-thread.test.ts',
  'packages/cli/src/build/web-files.test.ts', // files
  'tests/model-calls.test.ts', // version 7 of the AI SDK, which requires Node 22
]

/** The tests that install the packed packages and import them in plain Node; the rest of that file tests compilers. */
const SHORT_IMPORTS = ['--project=suite', 'tests/packed/packed.test.ts', '--testNamePattern=^plain Node']

interface Row extends Pick<Totals, 'passed' | 'failed' | 'skipped' | 'secondTries'> {
  readonly name: string
  readonly seconds: number
}

const { values, positionals } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    /** Whether the packages are already built. */
    built: { type: 'boolean', default: false },
    node: { type: 'string', multiple: true, default: [] },
    runtimes: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const majors = values.node.length > 0 ? values.node.map(Number) : values.short ? SHORT_NODES : NODES
const nodes = await Promise.all(majors.map(installNode))
const rows: Row[] = []
if (values.runtimes || ((await hasPrograms()) && (values.built || (await build())))) {
  if (!values.runtimes) for (const node of nodes) rows.push(await runOn(node))
  if (values.runtimes || (positionals.length === 0 && values.node.length === 0)) rows.push(await runContract())
}

console.log()
for (const row of rows) {
  const verdict = isOk(row) ? styleText('green', 'ok    ') : styleText('red', 'FAILED')
  const totals = `${row.passed} passed, ${row.failed} failed, ${row.skipped} skipped`
  console.log(`  ${row.name.padEnd(15)} ${verdict} ${row.seconds.toFixed(1).padStart(6)} s  ${totals}`)
}
const retried = rows.flatMap((row) => row.secondTries.map((test) => `${row.name}: ${test}`))
if (retried.length > 0) console.log(['\nFlaky tests, passed only on the second attempt:', ...retried].join('\n  '))
process.exitCode = rows.length > 0 && rows.every(isOk) ? 0 : 1

/** Returns whether the tests can run. The short part needs no programs. CI must not pass by skipping tests. */
async function hasPrograms(): Promise<boolean> {
  const missing = values.short ? [] : await installPrograms()
  for (const program of missing) console.error(adviceFor(program))
  return missing.length === 0 || !process.env['CI']
}

async function runOn(node: InstalledNode): Promise<Row> {
  console.log(styleText('bold', `\nNode ${node.version.slice(1)}`))
  const started = performance.now()
  const env = { ...onNode(node), SDK_TEST_NO_BROWSER: 'yes' }
  const run = async (args: readonly string[]): Promise<Totals> =>
    (await runTests(args, env)) ?? { ...noTotals(), failed: 1 }
  const files = positionals.length === 0 && values.short ? SHORT_FILES : positionals
  const { passed, failed, skipped, secondTries } = await run([...PROJECTS.map((name) => `--project=${name}`), ...files])
  const imports = files === SHORT_FILES ? await run(SHORT_IMPORTS) : noTotals()
  return {
    name: `Node ${node.version.slice(1)}`,
    seconds: (performance.now() - started) / 1000,
    passed: passed + imports.passed,
    failed: failed + imports.failed,
    skipped, // without the tests that the name pattern excludes
    secondTries: [...secondTries, ...imports.secondTries],
  }
}

/** Runs the contract suite on Bun, Deno and workerd, and with `--runtimes` on every Node as well. */
async function runContract(): Promise<Row> {
  console.log(styleText('bold', '\nBun, Deno and workerd'))
  const others: Record<string, string> = { ...(await installOtherRuntimes()), workerd: await installWorkerd() }
  const all = values.runtimes ? { ...others, ...Object.fromEntries(nodes.map(toEntry)) } : others
  const started = performance.now()
  const record = values.runtimes ? { SDK_TEST_RECORD: 'yes' } : {}
  const env = { SDK_TEST_RUNTIMES: JSON.stringify(all), SDK_TEST_NO_BROWSER: 'yes', ...record }
  const totals = (await runTests(['--project=suite', CONTRACT, ...(values.runtimes ? [] : [WORKERS])], env)) ?? {
    ...noTotals(),
    failed: 1,
  }
  return { ...totals, name: 'Bun, Deno, workerd', seconds: (performance.now() - started) / 1000 }
}

function toEntry({ version, path }: InstalledNode): [name: string, path: string] {
  return [`node${/\d+/.exec(version)?.[0]}`, path]
}

function isOk({ passed, failed }: Row): boolean {
  return failed === 0 && passed > 0
}
