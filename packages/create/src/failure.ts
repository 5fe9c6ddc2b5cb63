/** What the process ends with; scripts may rely on it. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const

/** A mistake we can explain: printed as a message and its fix, never as a stack. */
export class Failure extends Error {
  /** What to do about it. */
  readonly fix: string | undefined
  readonly exitCode: number

  constructor(message: string, options: { fix?: string; exitCode?: number; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'Failure'
    this.fix = options.fix
    this.exitCode = options.exitCode ?? EXIT.failed
  }
}
