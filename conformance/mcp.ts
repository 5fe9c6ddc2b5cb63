import { join } from 'node:path'
import { installNode, installPackages } from '../scripts/nodes.ts'
import { capture } from '../scripts/run.ts'
import { startApp } from './live.ts'
import { CACHE, FOLDER, judge, type Verdict } from './tools.ts'

// The first version with the scenarios of 2026-07-28.
const [SUITE, VERSION] = ['@modelcontextprotocol/conformance', '0.2.0-alpha.12']
const REVISIONS = ['2025-11-25', '2026-07-28']

/**
 * MCP's own suite, which needs Node 22, with all scenarios that each revision requires. `mcp-<revision>.yaml` lists those
 * that fail, with the reasons.
 */
export async function mcpSuite(): Promise<Verdict> {
  const [node, folder] = [await installNode(22), join(CACHE, `mcp-${VERSION}`)]
  await installPackages(folder, [{ name: SUITE, version: VERSION }])
  const app = await startApp('mcp-app.ts')
  try {
    const verdicts: Verdict[] = []
    for (const revision of REVISIONS) verdicts.push(await runRevision(revision))
    return {
      summary: verdicts.map(({ summary }) => summary).join('; '),
      faults: verdicts.flatMap(({ faults }) => faults),
    }
  } finally {
    await app.close()
  }

  async function runRevision(revision: string): Promise<Verdict> {
    const bin = join(folder, 'node_modules', SUITE, 'dist/index.js')
    const baseline = join(FOLDER, `mcp-${revision}.yaml`)
    const outcome = await capture(
      `cd '${folder}' && '${node.path}' '${bin}' server --url '${app.url}/api/mcp' ` +
        `--requirements ${revision} --expected-failures '${baseline}'`,
    )
    const failed = outcome.output.match(/^ {2}~ /gm)?.length ?? 0
    return judge(outcome, `${revision}: ${failed} scenarios fail as mcp-${revision}.yaml expects, all others pass`)
  }
}
