import type { CliCode } from './codes.ts'

/** The exit codes; scripts may rely on them. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const

/** Details of a failure beside its message. */
export interface FailureOptions {
  /** The fix. */
  readonly fix?: string | undefined
  /** The name of its page in `sdk explain`. */
  readonly code: CliCode
  /** Lines to show below the message. */
  readonly lines?: readonly string[]
  /** The response of a server, for programs. */
  readonly answer?: object
  readonly exitCode?: number
  readonly cause?: unknown
}

/** An error that we can explain: printed as a message and a fix, never as a stack. */
export class Failure extends Error {
  readonly fix: string | undefined
  readonly code: CliCode
  readonly lines: readonly string[]
  readonly answer: object | undefined
  readonly exitCode: number

  constructor(message: string, options: FailureOptions) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'Failure'
    this.fix = options.fix
    this.code = options.code
    this.lines = options.lines ?? []
    this.answer = options.answer
    this.exitCode = options.exitCode ?? EXIT.failed
  }
}

/** A command or an option that does not exist. */
export function usageFailure(message: string, fix: string): Failure {
  return new Failure(message, { fix, code: 'USAGE', exitCode: EXIT.usage })
}
