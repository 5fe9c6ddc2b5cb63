/** The exit codes. Scripts may rely on them. */
export const EXIT_CODES = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const

/** An expected error, which is printed as a message and a fix, without a stack trace. */
export class CreateFailure extends Error {
  /** The suggested fix. */
  readonly fix: string | undefined
  readonly exitCode: number

  constructor(message: string, options: { fix?: string; exitCode?: number; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'CreateFailure'
    this.fix = options.fix
    this.exitCode = options.exitCode ?? EXIT_CODES.failed
  }
}
