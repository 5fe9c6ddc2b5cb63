import type { ServerRequest, Servable, RequestObserver, Reply } from '@sdk/server'
import type { Settings } from '../api.ts'
import type { RunSummary } from '../run.ts'
import { RunIds } from '../store/run-ids.ts'
import type { RunRecorder, RunStore } from '../store/run-store.ts'
import { CallRecorder } from './call-recorder.ts'
import type { RecorderDependencies } from './recorder-dependencies.ts'
import { createRunEvents } from './run-events.ts'
import { Identities } from './identities.ts'
import { createRedactor } from './redact.ts'
import { SocketRecorder } from './socket-recorder.ts'
import { recordAdmission, recordSockets } from './record-socket.ts'

/** Options of `createAppRecorder`. */
export interface AppRecorderOptions {
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
export interface AppRecorder {
  /** The same app, whose calls at `/agent`, `/api` and `/ws` are recorded: give this one to the server. */
  recordApp(app: Servable): Servable
  /** Stops calling `onRun`. The caller closes the store itself. */
  close(): void
}

/** A recorder into a store. */
export function createAppRecorder(options: AppRecorderOptions): AppRecorder {
  const { settings = () => RECORD_ALL } = options
  const runEvents = options.onRun === undefined ? null : createRunEvents(options.onRun)
  const deps = createDependencies(options, (recorder) => {
    options.store.update(recorder)
    runEvents?.add(recorder)
  })
  const begin = <R extends RunRecorder>(recorder: R): R => {
    options.store.add(recorder)
    runEvents?.add(recorder)
    return recorder
  }
  const shouldRecord = ({ method, target }: ServerRequest): boolean =>
    isAppRoute(target) && !(method === 'GET' && SCHEMA_PATH.test(target)) && settings().isRecording

  return {
    recordApp: (app) => ({
      ...app,
      handle: (call) =>
        shouldRecord(call) ? recordCall(app, call, begin(new CallRecorder(call, deps))) : app.handle(call),
      admit(call) {
        const admitting = app.admit(call)
        return shouldRecord(call)
          ? recordAdmission(admitting, { recorder: new SocketRecorder(call, deps), begin })
          : admitting
      },
      sockets: recordSockets(app.sockets),
    }),
    close: () => runEvents?.close(),
  }
}

function isAppRoute(target: string): boolean {
  return target.startsWith('/agent/') || target.startsWith('/api/') || target.startsWith('/ws/')
}

/** Paths of schemas. They are not recorded: the workbench reads them at every visit, and no handler runs. */
const SCHEMA_PATH = /^\/agent\/|^\/api\/v\d+\/openapi\.json(?:$|\?)/

const RECORD_ALL = { isRecording: true, redact: [] }

function createDependencies(
  {
    root,
    revision = () => 1,
    settings = () => RECORD_ALL,
    now = Date.now,
    clock = () => performance.now(),
  }: AppRecorderOptions,
  changed: RecorderDependencies['changed'],
): RecorderDependencies {
  let names: readonly string[] | null = null
  let redactor = createRedactor()
  return {
    root,
    revision,
    now,
    clock,
    changed,
    identities: new Identities(clock),
    textMemory: { size: 0 },
    frameMemory: { size: 0 },
    ids: new RunIds(),
    redactor() {
      const { redact } = settings()
      if (redact !== names) redactor = createRedactor(redact)
      names = redact
      return redactor
    },
  }
}

function recordCall(app: Servable, call: ServerRequest, recorder: CallRecorder): Reply | Promise<Reply> {
  // Set on the call itself: a wrapper with all its members would cost more.
  ;(call as { observer?: RequestObserver }).observer = recorder
  const reply = app.handle(call)
  if (!(reply instanceof Promise)) return recorder.answered(reply)
  return reply.then(
    (made) => recorder.answered(made),
    (error: unknown) => {
      recorder.failed(error)
      throw error
    },
  )
}
