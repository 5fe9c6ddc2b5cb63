/** A mistake we can explain: printed as a message, never as a stack. */
export class Failure extends Error {
  /** 1: it cannot be done. 2: it was asked for in a wrong way. */
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.name = 'Failure'
    this.exitCode = exitCode
  }
}
