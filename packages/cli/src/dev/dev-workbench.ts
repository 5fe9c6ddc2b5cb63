import { ApiError, type InspectableRunStore, type Log, type ObserveRun, type Servable } from '@sdk/server'
import { createEventHub, createWorkbench, openRecording, teeLog, type Workbench } from '@sdk/workbench'
import { add } from '../add/add.ts'
import { createDevLog } from './dev-log.ts'
import { Failure } from '../failure.ts'
import type { ReloadableApp } from './reloadable-app.ts'
import { createProjectState, type ProjectState } from './project-state.ts'

/** A dev server's workbench, which exists before the app is loaded. */
export interface DevWorkbench {
  /** A log whose lines are also shown in the workbench. */
  readonly log: Log
  readonly state: ProjectState
  /** Attaches an app. Serve the returned `app`, which records each call, and run `close` after the last call. */
  attach(
    live: ReloadableApp,
    durableRuns: () => InspectableRunStore | null,
  ): { app: Servable; observeRun: ObserveRun; workbench: Workbench; close(): Promise<void> }
}

/** Creates a project's workbench, which stores runs in `folder` and requires `token` for access. */
export function createDevWorkbench(
  root: string,
  terminal: Log,
  { folder, host, token }: { folder: string; host: string; token: string },
): DevWorkbench {
  const events = createEventHub()
  const log = teeLog(createDevLog(terminal, root), events)
  const state = createProjectState(root, events)
  return {
    log,
    state,
    attach(live, durableRuns) {
      const recording = openRecording({
        root,
        folder,
        revision: () => state.info().revision,
        onRun: (run) => events.emit('run', run),
        onWarning: (fault) => log.warn(fault),
      })
      const workbench = createWorkbench({
        app: live,
        recording,
        events,
        log,
        host,
        project: root,
        token,
        projectInfo: state.info,
        session: () => live.sessionProvider,
        durableRuns,
        addAgent: (name) => addAgentOrThrow(root, name),
      })
      return { app: recording.recordApp(live), observeRun: recording.observeRun, workbench, close: recording.close }
    },
  }
}

/** Adds an agent, as `sdk add agent` does. Converts a failure to an `ApiError` with its message and fix. */
function addAgentOrThrow(root: string, name: string): readonly string[] {
  try {
    return add(root, 'agent', name).written
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code, message, fix } = error
    throw new ApiError(code, fix === undefined ? message : `${message}: ${fix}`, { status: 409, cause: error })
  }
}
