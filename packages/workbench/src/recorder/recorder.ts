import type { Call, Servable } from '@sdk/server'
import type { Settings } from '../api.ts'
import type { RunSummary } from '../run.ts'
import { createRunIds } from '../store/run-ids.ts'
import type { RunDraft, RunStore } from '../store/run-store.ts'
import { CallDraft } from './call-draft.ts'
import type { DraftTools } from './draft-tools.ts'
import { createNews, type News } from './news.ts'
import { createPeople } from './people.ts'
import { createRedactor, type Redactor } from './redact.ts'
import { SocketDraft } from './socket-draft.ts'
import { watchCall } from './watch-call.ts'
import { watchAdmission, watchSockets } from './watch-socket.ts'

/** What `createRecorder` takes. */
export interface RecorderOptions {
  readonly store: RunStore
  /** The project's folder: stack frames inside of it are shown as the user's own code. */
  readonly root: string
  /** Which version of the code answers now: counts loads, from 1. @default always 1 */
  readonly revision?: () => number
  /** Read at every call. @default records all, hides what is named like a secret */
  readonly settings?: () => Pick<Settings, 'isRecording' | 'redact'>
  /** Called when a run began, changed or ended: soon, and at most ten times a second for each run. */
  readonly onRun?: (run: RunSummary) => void
  /** The time of day, in ms since 1970. @default Date.now */
  readonly now?: () => number
  /** A clock that only goes forward, in ms. @default performance.now */
  readonly clock?: () => number
}

/** Records the calls of an app, and their answers. */
export interface Recorder {
  /** The same app, whose calls at `/agent`, `/api` and `/ws` are recorded: give this one to the server. */
  watchApp(app: Servable): Servable
  /** Stops calling `onRun`. The caller closes the store itself. */
  close(): void
}

/** A recorder into a store. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { settings = () => RECORD_ALL } = options
  const news = options.onRun === undefined ? NO_NEWS : createNews(options.onRun)
  const tools = createTools(options, (draft) => {
    options.store.update(draft)
    news.add(draft)
  })
  const begin = <Draft extends RunDraft>(draft: Draft): Draft => {
    options.store.add(draft)
    news.add(draft)
    return draft
  }
  const isWanted = ({ method, target }: Call): boolean =>
    isRecorded(target) && !(method === 'GET' && DESCRIBED.test(target)) && settings().isRecording

  return {
    watchApp: (app) => ({
      ...app,
      handle: (call) => (isWanted(call) ? watchCall(app, call, begin(new CallDraft(call, tools))) : app.handle(call)),
      admit(call) {
        const admitting = app.admit(call)
        return isWanted(call) ? watchAdmission(admitting, { draft: new SocketDraft(call, tools), begin }) : admitting
      },
      sockets: watchSockets(app.sockets),
    }),
    close: news.close,
  }
}

function isRecorded(target: string): boolean {
  return target.startsWith('/agent/') || target.startsWith('/api/') || target.startsWith('/ws/')
}

const NO_NEWS: News = { add() {}, close() {} }

/** Paths of schemas. They are not recorded: the workbench reads them at every visit, and no handler runs. */
const DESCRIBED = /^\/agent\/|^\/api\/v\d+\/openapi\.json(?:$|\?)/

const RECORD_ALL = { isRecording: true, redact: [] }

function createTools(options: RecorderOptions, changed: DraftTools['changed']): DraftTools {
  const { root, revision = () => 1, settings = () => RECORD_ALL, now = Date.now } = options
  const { clock = () => performance.now() } = options
  let names: readonly string[] | null = null
  let redactor: Redactor = createRedactor()
  return {
    root,
    revision,
    now,
    clock,
    changed,
    people: createPeople(clock),
    held: { size: 0 },
    frames: { size: 0 },
    ids: createRunIds(),
    redactor() {
      const { redact } = settings()
      if (redact !== names) redactor = createRedactor(redact)
      names = redact
      return redactor
    },
  }
}
