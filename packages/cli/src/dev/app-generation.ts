import type { App } from '@sdk/server'
import type { Problem } from '@sdk/workbench'
import type { ComposedApp } from '../load/compose.ts'

/** One of the apps that a live app has served. */
export interface AppGeneration {
  readonly composed: ComposedApp
  readonly handle: App['handle']
  /** Why its `onStart` failed; null where it did not. */
  startProblem: Problem | null
  /** What is wrong with it: what did not load, and its fault. */
  problems(): readonly Problem[]
  /** Resolves when all its answers have been sent completely. */
  idle(): Promise<void>
}

/** Counts the open answers of an app, so that its stores are not closed during a stream. */
export function createAppGeneration(composed: ComposedApp): AppGeneration {
  const { app } = composed
  let open = 0
  let onIdle: (() => void) | null = null
  const release = (): void => {
    open -= 1
    if (open === 0) onIdle?.()
  }

  const generation: AppGeneration = {
    composed,
    startProblem: null,
    problems: () =>
      generation.startProblem === null ? composed.problems : [...composed.problems, generation.startProblem],
    async handle(call) {
      open += 1
      const reply = await app.handle(call)
      const { ended } = reply
      reply.ended = (bytes, isWhole) => {
        ended?.(bytes, isWhole)
        release()
      }
      return reply
    },
    idle: () =>
      open === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            onIdle = resolve
          }),
  }
  return generation
}
