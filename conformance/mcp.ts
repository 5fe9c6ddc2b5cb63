import { join } from 'node:path'
import { installNode, installPackage } from '../scripts/nodes.ts'
import { capture } from '../scripts/run.ts'
import { startApp } from './live.ts'
import { CACHE, FOLDER, judge, type Verdict } from './tools.ts'

const [SUITE, VERSION] = ['@modelcontextprotocol/conformance', '0.1.16']

/** MCP's own suite, which needs Node 22. `mcp.yaml` lists the scenarios that fail, with the reasons. */
export async function mcpSuite(): Promise<Verdict> {
  const [node, folder] = [await installNode(22), join(CACHE, `mcp-${VERSION}`)]
  await installPackage(folder, { name: SUITE, version: VERSION })
  const app = await startApp('mcp-app.ts')
  try {
    const bin = join(folder, 'node_modules', SUITE, 'dist/index.js')
    const baseline = join(FOLDER, 'mcp.yaml')
    const outcome = await capture(
      `cd '${folder}' && '${node.path}' '${bin}' server --url '${app.url}/api/mcp' --expected-failures '${baseline}'`,
    )
    const [total = 'no totals'] = /^Total: .*$/m.exec(outcome.output) ?? []
    return judge(outcome, `${total}, as mcp.yaml expects`)
  } finally {
    await app.close()
  }
}
