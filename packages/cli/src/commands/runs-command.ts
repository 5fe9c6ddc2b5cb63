import type { InspectedRun, InspectQuery } from '@sdk/server'
import type { RunFilter, RunStore } from '@sdk/workbench'
import type { Command, CommandContext } from './command.ts'
import { readDevServerInfo } from '../dev/dev-server-info.ts'
import { clearDevServerRuns } from '../run/dev-server-runs.ts'
import { openDurableRuns, type DurableRuns } from '../run/durable-runs.ts'
import { toDurableLines, toDurableTable } from '../run/format-durable-run.ts'
import { followDurableRun, missingRun } from '../run/follow-durable-run.ts'
import { findRoot } from '../discover.ts'
import { usageFailure } from '../failure.ts'
import { didYouMean } from '../closest-match.ts'
import { toRunLines, toRunTable } from '../run/format-run.ts'

/** The `sdk runs` command. */
export const runsCommand: Command = {
  summary: 'lists recorded and durable runs, or shows one of them',
  mode: 'development',
  args: [
    { name: 'id', summary: 'the run to show: a recorded call, or a durable run with its steps', isOptional: true },
  ],
  options: {
    route: { value: 'route', summary: 'only runs of this route, or of the agent with this name' },
    status: {
      value: 'status',
      summary:
        'only runs with this status: queued, running, waiting, done, failed, refused, cancelled or an HTTP status such as 404',
    },
    thread: { value: 'id', summary: 'only durable runs of this thread' },
    durable: { summary: 'lists only durable runs, which are stored in the database' },
    follow: { summary: 'prints the steps and chunks of a durable run until it ends' },
    limit: { value: 'number', summary: 'the maximum number of runs, up to 500 (default: 20)' },
    clear: { summary: 'deletes all recorded runs that are not pinned in the workbench' },
    json: { summary: 'prints the runs as JSON; without --durable, only recorded ones' },
  },
  examples: [
    'sdk runs',
    'sdk runs --route summarize --status failed',
    'sdk runs --json --limit 100',
    'sdk runs --durable --status waiting',
    'sdk runs 5f0c1e9a7b3d4c2e8f6a1b0d9c7e5f3a --follow',
  ],
  async run(context) {
    const [id] = context.args
    const root = findRoot(context.cwd)
    const isDurable = isDurableId(id)
    if (context.has('follow') && !isDurable)
      throw usageFailure(
        `--follow requires the id of a durable run, got ${JSON.stringify(id ?? '')}`,
        'sdk runs --durable lists durable runs',
      )
    const { openRunStore, recordingFolder } = await import('@sdk/workbench')
    // This command records no runs, so the store does not need to be closed. A dev server may be writing to the same
    // folder.
    const store = openRunStore({ folder: recordingFolder(root) })
    if (context.has('clear')) return deleteRuns(store, root, context)
    if (id !== undefined && !isDurable) return printRun(store, id, context)
    const filters = { recorded: toRunFilter(context), durable: toDurableQuery(context) }
    // JSON output without --durable contains recorded runs only, so the database is not opened.
    const durable =
      id === undefined && context.has('json') && !context.has('durable') ? null : await openDurableRuns(root)
    try {
      if (id !== undefined) return await printDurableRun(durable, id, context)
      await printLists({ store, durable, filters }, context)
    } finally {
      await durable?.close()
    }
  },
}

interface RunLists {
  readonly store: RunStore
  readonly durable: DurableRuns | null
  /** Null if a list cannot contain runs with the given options. */
  readonly filters: { readonly recorded: RunFilter | null; readonly durable: Parameters<DurableRuns['list']>[0] | null }
}

async function printLists({ store, durable, filters }: RunLists, context: CommandContext): Promise<void> {
  const { has, terminal } = context
  const { out, err } = terminal
  const listed = filters.durable === null ? [] : ((await durable?.list(filters.durable)) ?? [])
  if (has('durable') && has('json')) return out(JSON.stringify(listed, null, 2))
  const recorded = filters.recorded === null || has('durable') ? null : await store.list(filters.recorded)
  if (has('json')) return out(JSON.stringify(recorded?.runs ?? [], null, 2))
  const runs = recorded?.runs ?? []
  if (runs.length === 0 && listed.length === 0) {
    if (has('durable') && durable === null) return err('no durable runs: set durable: true in an agent and call it')
    return err(recorded?.total === 0 ? 'no runs yet: call your app while sdk dev is running' : 'no matching runs')
  }
  if (runs.length > 0) for (const line of toRunTable(runs)) out(line)
  if (runs.length > 0 && listed.length > 0) out()
  if (listed.length > 0) for (const line of toDurableTable(listed)) out(line)
}

async function printDurableRun(durable: DurableRuns | null, id: string, context: CommandContext): Promise<void> {
  const { has, terminal } = context
  if (durable === null) throw missingRun(id)
  if (has('follow')) return followDurableRun(durable, id, { isJson: has('json'), terminal })
  const found = await durable.find(id)
  if (found === null) throw missingRun(id)
  if (has('json')) return terminal.out(JSON.stringify(found, null, 2))
  for (const line of toDurableLines(found, terminal.paint)) terminal.out(line)
}

/** Returns whether an id belongs to a durable run. The ids of recorded runs are shorter. */
function isDurableId(id: string | undefined): boolean {
  return id !== undefined && /^[0-9a-f]{32}$/.test(id)
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

const RUN_STATES = ['running', 'done', 'failed', 'refused', 'cancelled'] as const
const DURABLE_STATUSES: readonly InspectedRun['status'][] = [
  'queued',
  'running',
  'waiting',
  'done',
  'failed',
  'cancelled',
]
const ALL_STATUSES = [...new Set<string>([...DURABLE_STATUSES, ...RUN_STATES])]

/** Returns the filter for recorded runs, or null if the options match only durable runs. */
function toRunFilter({ text }: CommandContext): RunFilter | null {
  const [route, status] = [text('route'), text('status')]
  const limit = toLimit(text('limit'))
  if (status !== undefined) checkStatus(status)
  if (text('thread') !== undefined || status === 'queued' || status === 'waiting') return null
  return {
    limit,
    ...(route !== undefined && { route: /[ /]/.test(route) ? route : `POST /agent/${route}` }),
    ...(status !== undefined && { status }),
  }
}

/** Returns the query for durable runs, or null if the options match only recorded runs. */
function toDurableQuery({ text }: CommandContext): Omit<InspectQuery, 'before'> | null {
  const [route, given] = [text('route'), text('status')]
  const status = DURABLE_STATUSES.find((one) => one === given) ?? null
  const agent = route?.replace(/^POST \/agent\//, '') ?? null
  if ((given !== undefined && status === null) || (agent !== null && /[ /]/.test(agent))) return null
  return { agent, status, thread: text('thread') ?? null, limit: toLimit(text('limit')) }
}

function toLimit(text: string | undefined): number {
  const limit = Number(text ?? 20)
  if (Number.isInteger(limit) && limit >= 1 && limit <= 500) return limit
  throw usageFailure(`--limit must be a number from 1 to 500, got ${JSON.stringify(text)}`, 'sdk runs --limit 50')
}

function checkStatus(status: string): void {
  if (ALL_STATUSES.includes(status) || /^[1-5]\d\d$/.test(status)) return
  const fix = didYouMean(status, ALL_STATUSES, '--status ') ?? 'sdk runs --status failed'
  throw usageFailure(
    `--status must be ${ALL_STATUSES.join(', ')} or an HTTP status such as 404, got ${JSON.stringify(status)}`,
    fix,
  )
}
