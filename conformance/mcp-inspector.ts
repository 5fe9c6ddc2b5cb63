import { join } from 'node:path'
import { installNode, installPackages } from '../scripts/nodes.ts'
import { capture } from '../scripts/run.ts'
import { startApp } from './live.ts'
import { CACHE, type Verdict } from './tools.ts'

const [INSPECTOR, VERSION] = ['@modelcontextprotocol/inspector', '2.12.0']
/** The revisions 2025-11-25 and 2026-07-28. */
const ERAS = ['legacy', 'modern']

/** A command of the inspector, with the exit code and a part of the output that it must have. */
type Check = readonly [args: string, code: number, part: string]

const call = (args: string): string => `--method tools/call --tool-name ${args}`
/** The exit code for a tool that fails. */
const FAILED = 5

const CHECKS: readonly Check[] = [
  // Exits with 6 if a schema is one that some clients reject.
  ['--method tools/list --strict', 0, '"name": "test_multiple_content_types"'],
  [call('test_simple_text'), 0, 'This is a simple text response for testing.'],
  [call('test_multiple_content_types'), 0, '"uri": "test://mixed-content-resource"'],
  [call('test_tool_with_progress'), 0, '{\\"chunks\\":[0,50,100]}'],
  [call('test_error_handling'), FAILED, '\\"code\\":\\"CONFLICT\\"'],
  [call('test_simple_text --tool-arg more=1'), FAILED, '\\"message\\":\\"more is not a known field\\"'],
  [call('unknown'), FAILED, '"code":"tool_not_found"'],
]

/** The command-line client of MCP's inspector, which needs Node 22: lists tools, calls them and prints their errors. */
export async function mcpInspector(): Promise<Verdict> {
  const [node, folder] = [await installNode(22), join(CACHE, `inspector-${VERSION}`)]
  await installPackages(folder, [{ name: INSPECTOR, version: VERSION }])
  const app = await startApp('mcp-app.ts')
  const inspector = `'${node.path}' '${join(folder, 'node_modules/.bin/mcp-inspector')}' --cli`
  try {
    // Side by side, since each command waits for a second before it exits.
    const faults = await Promise.all(ERAS.map(runAll))
    return { summary: `${CHECKS.length} commands in ${ERAS.length} eras of the protocol`, faults: faults.flat() }
  } finally {
    await app.close()
  }

  async function runAll(era: string): Promise<string[]> {
    const faults: string[] = []
    for (const check of CHECKS) faults.push(...(await run(era, check)))
    return faults
  }

  async function run(era: string, [args, code, part]: Check): Promise<string[]> {
    const command = `${inspector} '${app.url}/api/mcp' --transport http --protocol-era ${era} ${args}`
    // The inspector writes its state into the home folder.
    const outcome = await capture(command, { HOME: join(folder, 'home', era) })
    if (outcome.code === code && outcome.output.includes(part)) return []
    const got = `${outcome.code}:\n${outcome.output.trim()}`
    return [`${era}: ${args} must exit with ${code} and print ${part}, got ${got}`]
  }
}
