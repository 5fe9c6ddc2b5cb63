/** A variable of the environment that the app needs, and cannot use as it is. */
export interface EnvError {
  readonly name: string
  /** What is wrong with it, as in `is not set`. */
  readonly problem: string
  /** What it is for. */
  readonly purpose: string
  /** A line that would do. */
  readonly example: string
}

let collected: EnvError[] | null = null

/**
 * From now on faults are collected and not thrown, so that a server that starts can report all at once. Returns the way
 * to end that, which gives those that were collected.
 */
export function collectEnvErrors(): () => readonly EnvError[] {
  const faults: EnvError[] = (collected = [])
  return () => {
    collected = null
    return faults
  }
}

/**
 * Reports a variable of the environment that is missing or wrong: throws. While a built server loads its modules, it
 * returns `instead`, so that all faults are found and reported together; the server does not start then.
 * @example
 * const key = process.env.MODEL_KEY ?? refuseEnv(
 *   { name: 'MODEL_KEY', fault: 'is not set', purpose: 'it pays for the model', example: 'MODEL_KEY=abc' }, '')
 */
export function reportEnvError<T>(error: EnvError, fallback: T): T {
  const { name, purpose, example } = error
  if (collected === null) throw new TypeError(`${name} ${error.problem}: ${purpose}. Set it, as in ${example}`)
  if (!collected.some((known) => known.name === name)) collected.push(error)
  return fallback
}
