import type { RunFilter, RunStore } from '@sdk/workbench'
import type { Command, CommandContext } from './command.ts'
import { readDevServerInfo } from '../dev/dev-server-info.ts'
import { clearDevServerRuns } from '../run/dev-server-runs.ts'
import { findRoot } from '../discover.ts'
import { usageFailure } from '../failure.ts'
import { didYouMean } from '../closest-match.ts'
import { toRunLines, toRunTable } from '../run/format-run.ts'

/** The `sdk runs` command. */
export const runsCommand: Command = {
  summary: 'lists recorded runs, or shows one of them',
  args: [{ name: 'id', summary: 'the run to show, with its input, output, logs and error', isOptional: true }],
  options: {
    route: { value: 'route', summary: 'only runs of this route, or of the agent with this name' },
    status: {
      value: 'status',
      summary: 'only runs with this status: running, done, failed, refused, cancelled or an HTTP status such as 404',
    },
    limit: { value: 'number', summary: 'the maximum number of runs, up to 500 (default: 20)' },
    clear: { summary: 'deletes all runs that are not pinned in the workbench' },
    json: { summary: 'prints the runs as JSON' },
  },
  examples: ['sdk runs', 'sdk runs --route summarize --status failed', 'sdk runs --json --limit 100'],
  async run(context) {
    const [id] = context.args
    const root = findRoot(context.cwd)
    const { openRunStore, recordingFolder } = await import('@sdk/workbench')
    // This command records no runs, so the store does not need to be closed. A dev server may be writing to the same
    // folder.
    const store = openRunStore({ folder: recordingFolder(root) })
    if (context.has('clear')) return deleteRuns(store, root, context)
    return id === undefined ? printRunList(store, context) : printRun(store, id, context)
  },
}

async function printRunList(store: RunStore, { text, has, terminal: { out, err } }: CommandContext): Promise<void> {
  const { runs, total } = await store.list(toRunFilter(text))
  if (has('json')) return out(JSON.stringify(runs, null, 2))
  if (runs.length === 0)
    return err(total === 0 ? 'no runs yet: call your app while sdk dev is running' : 'no matching runs')
  for (const line of toRunTable(runs)) out(line)
}

async function printRun(store: RunStore, id: string, { has, terminal }: CommandContext): Promise<void> {
  const run = await store.read(id)
  if (run === null) throw usageFailure(`run ${id} not found: it may have been deleted`, 'sdk runs lists all runs')
  if (has('json')) return terminal.out(JSON.stringify(run, null, 2))
  for (const line of toRunLines(run, terminal.paint)) terminal.out(line)
}

/** Deletes the runs. A running dev server must delete them itself, since it writes these files. */
async function deleteRuns(store: RunStore, root: string, { has, terminal: { out } }: CommandContext): Promise<void> {
  const devServer = readDevServerInfo(root)
  const deleted = (devServer === null ? null : await clearDevServerRuns(devServer)) ?? (await store.clear())
  out(has('json') ? JSON.stringify({ deleted }) : `${deleted} ${deleted === 1 ? 'run' : 'runs'} deleted`)
}

function toRunFilter(text: CommandContext['text']): RunFilter {
  const [route, status] = [text('route'), text('status')]
  const limit = Number(text('limit') ?? 20)
  if (!Number.isInteger(limit) || limit < 1 || limit > 500)
    throw usageFailure(
      `--limit must be a number from 1 to 500, got ${JSON.stringify(text('limit'))}`,
      'sdk runs --limit 50',
    )
  if (status !== undefined) checkStatus(status)
  return {
    limit,
    ...(route !== undefined && { route: /[ /]/.test(route) ? route : `POST /agent/${route}` }),
    ...(status !== undefined && { status }),
  }
}

const RUN_STATES = ['running', 'done', 'failed', 'refused', 'cancelled'] as const

function checkStatus(status: string): void {
  if (RUN_STATES.some((state) => state === status) || /^[1-5]\d\d$/.test(status)) return
  const fix = didYouMean(status, RUN_STATES, '--status ') ?? 'sdk runs --status failed'
  throw usageFailure(
    `--status must be ${RUN_STATES.join(', ')} or an HTTP status such as 404, got ${JSON.stringify(status)}`,
    fix,
  )
}
