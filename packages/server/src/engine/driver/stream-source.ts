import type { EngineFrame, EnginePosition } from '../engine.ts'

/** What the history answers: its end, and what it keeps between the asked position and there. */
export interface StreamPage {
  readonly head: EnginePosition
  readonly frames: readonly EngineFrame[]
  /** False when there was more than fits a page. */
  readonly isComplete: boolean
}

/** Where the streams of many processes are: what a driver brings along. */
export interface StreamSource {
  /** Asks to hear of a stream; rejects while that is out of reach. */
  subscribe(stream: string): Promise<void>
  /** Nobody wants to hear of it any more; never throws. */
  unsubscribe(stream: string): void
  /** What follows a position; without one, only the end of the stream, which begins where there was none. */
  read(stream: string, position: EnginePosition | undefined): Promise<StreamPage>
}
