/** An environment variable that is missing or invalid. */
export interface EnvError {
  readonly name: string
  /** The problem, such as `is not set`. */
  readonly problem: string
  /** The purpose of the variable. */
  readonly purpose: string
  /** An example of a valid line, such as `MODEL_KEY=abc`. */
  readonly example: string
}

let collected: EnvError[] | null = null

/**
 * Collects errors instead of throwing them, so that a starting server can report all of them together. Returns a
 * function that stops collecting and returns the errors.
 */
export function collectEnvErrors(): () => readonly EnvError[] {
  const faults: EnvError[] = (collected = [])
  return () => {
    collected = null
    return faults
  }
}

/**
 * Throws an error for a missing or invalid environment variable. While a built server loads its modules, returns
 * `fallback` instead, so that all errors are reported together. The server then does not start.
 * @example
 * const key = process.env.MODEL_KEY ?? reportEnvError(
 *   { name: 'MODEL_KEY', problem: 'is not set', purpose: 'the API key for the model', example: 'MODEL_KEY=abc' }, '')
 */
export function reportEnvError<T>(error: EnvError, fallback: T): T {
  const { name, purpose, example } = error
  if (collected === null) throw new TypeError(`${name} ${error.problem} (${purpose}). Example: ${example}`)
  if (!collected.some((known) => known.name === name)) collected.push(error)
  return fallback
}
