import type { LogFields, RunObserver } from '@sdk/server'
import type { ModelStepObserver, ModelStepStart } from '@sdk/server/node'
import type { RunLog } from '../run.ts'
import { BaseRecorder } from './base-recorder.ts'

/** The base class for recorders of a handler, with its nested runs, model calls and log lines. */
export abstract class HandlerRecorder extends BaseRecorder implements RunObserver {
  abstract onChunk(chunk: unknown): void
  abstract onEnd(outcome: { output?: unknown; error?: unknown }): void

  onNestedRun(route: string, input: unknown, toolCallId?: string): RunObserver {
    return this.spans.open(route, input, { parentId: 0, toolCallId })
  }

  onModelStep(start: ModelStepStart): ModelStepObserver {
    return this.spans.models.open(start, 0)
  }

  onFetch(request: Request): ((response: Response) => void) | undefined {
    return this.spans.recordings.open(request)
  }

  onLog(level: RunLog['level'], message: string, fields: LogFields | undefined): void {
    this.spans.log({ level, message, spanId: 0 }, fields)
  }
}
