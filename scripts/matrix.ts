/** `npm run matrix [-- --short] [--node 22] [vitest arguments]`: the tests that need no browser, on every Node that we support. */
import { parseArgs, styleText } from 'node:util'
import { installNode, type InstalledNode, onNode } from './nodes.ts'
import { adviceFor, installPrograms } from './programs.ts'
import { build } from './run.ts'
import { runTests } from './run-tests.ts'
import { noTotals, type Totals } from './totals-reporter.ts'

const NODES = [20, 22, 24]

/** `npm test` has run on another Node before: CI adds these. */
const SHORT_NODES = [22, 24]

/** All projects except `types`, since compilers do not depend on the Node. */
const PROJECTS = ['unit', 'suite', 'conformance', 'stores', 'endurance', 'chaos'].map((name) => `--project=${name}`)

interface Row extends Totals {
  readonly version: string
  readonly seconds: number
}

const { values, positionals } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    built: { type: 'boolean', default: false },
    node: { type: 'string', multiple: true, default: [] },
  },
  allowPositionals: true,
})
const majors = values.node.length > 0 ? values.node.map(Number) : values.short ? SHORT_NODES : NODES
const files = positionals.length > 0 ? positionals : []

const nodes = await Promise.all(majors.map(installNode))
console.log(`On Node ${nodes.map(({ version }) => version.slice(1)).join(', ')}`)
const missing = await installPrograms()
for (const program of missing) console.error(adviceFor(program))

const rows: Row[] = []
if (values.built || (await build())) for (const node of nodes) rows.push(await runOn(node))

console.log()
for (const { version, passed, failed, skipped, seconds } of rows) {
  const verdict = failed === 0 && passed > 0 ? styleText('green', 'ok    ') : styleText('red', 'FAILED')
  const totals = `${passed} passed, ${failed} failed, ${skipped} skipped`
  console.log(`  Node ${version.slice(1).padEnd(10)} ${verdict} ${seconds.toFixed(1).padStart(6)} s  ${totals}`)
}
process.exitCode = rows.length > 0 && rows.every(({ passed, failed }) => failed === 0 && passed > 0) ? 0 : 1

async function runOn(node: InstalledNode): Promise<Row> {
  console.log(styleText('bold', `\nNode ${node.version.slice(1)}`))
  const started = performance.now()
  const env = { ...onNode(node), SDK_TEST_NO_BROWSER: 'yes' }
  const totals = (await runTests([...PROJECTS, ...files], env)) ?? { ...noTotals(), failed: 1 }
  return { ...totals, version: node.version, seconds: (performance.now() - started) / 1000 }
}
