import type { ObserveRun, ServerRequest, Servable, RequestObserver, Reply } from '@sdk/server'
import type { Settings } from '../api.ts'
import type { RunSummary } from '../run.ts'
import { RunIds } from '../store/run-ids.ts'
import type { RunRecorder, RunStore } from '../store/run-store.ts'
import { BackgroundRecorder } from './background-recorder.ts'
import { CallRecorder } from './call-recorder.ts'
import type { RecorderDependencies } from './recorder-dependencies.ts'
import { createRunEvents } from './run-events.ts'
import { Identities } from './identities.ts'
import { createRedactor } from './redact.ts'
import { SocketRecorder } from './socket-recorder.ts'
import { recordAdmission, recordSockets } from './record-socket.ts'

/** Options for `createAppRecorder`. */
export interface AppRecorderOptions {
  readonly store: RunStore
  /** The project's folder. Stack frames inside it are shown as the user's code. */
  readonly root: string
  /** Returns the current version of the code, counted from 1. @default always 1 */
  readonly revision?: () => number
  /** Returns the settings. Called for every request. @default records everything and redacts known secrets */
  readonly settings?: () => Pick<Settings, 'isRecording' | 'redact'>
  /** Called after a run starts, changes or ends, at most ten times a second per run. */
  readonly onRun?: (run: RunSummary) => void
  /** Returns the wall-clock time, in ms since the Unix epoch. @default Date.now */
  readonly now?: () => number
  /** Returns the monotonic time, in ms. @default performance.now */
  readonly clock?: () => number
}

/** A recorder for the calls to an app and their responses. */
export interface AppRecorder {
  /** Wraps an app so that calls to it under `/agent`, `/api` and `/ws` are recorded. Pass the result to the server. */
  recordApp(app: Servable): Servable
  /** Records a durable run that no request observes. Pass it to `createApp` as `~observeRun`. */
  readonly observeRun: ObserveRun
  /** Stops calling `onRun`. Does not close the store, which the caller must do. */
  close(): void
}

/** Creates a recorder that writes to a store. */
export function createAppRecorder(options: AppRecorderOptions): AppRecorder {
  const { settings = () => RECORD_ALL } = options
  const runEvents = options.onRun === undefined ? null : createRunEvents(options.onRun)
  const begin = <R extends RunRecorder>(recorder: R): R => {
    options.store.add(recorder)
    runEvents?.add(recorder)
    return recorder
  }
  const changed = (recorder: RunRecorder): void => {
    options.store.update(recorder)
    runEvents?.add(recorder)
  }
  const deps = createDependencies(options, { changed, changedLate: begin })
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
    observeRun: (run) => (settings().isRecording ? begin(new BackgroundRecorder(run, deps)) : undefined),
    close: () => runEvents?.close(),
  }
}

function isAppRoute(target: string): boolean {
  return target.startsWith('/agent/') || target.startsWith('/api/') || target.startsWith('/ws/')
}

/** The paths of schemas. Requests for them are not recorded: the workbench sends many, and no handler runs. */
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
  listeners: Pick<RecorderDependencies, 'changed' | 'changedLate'>,
): RecorderDependencies {
  let names: readonly string[] | null = null
  let redactor = createRedactor()
  return {
    root,
    revision,
    now,
    clock,
    ...listeners,
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
  // The observer is set on the call itself, since a wrapper with all members of the call would be slower.
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
