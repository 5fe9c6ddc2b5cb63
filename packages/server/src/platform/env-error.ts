/** A variable of the environment that the app needs, and cannot use as it is. */
export interface EnvFault {
  readonly name: string
  /** What is wrong with it, as in `is not set`. */
  readonly fault: string
  /** What it is for. */
  readonly purpose: string
  /** A line that would do. */
  readonly example: string
}

let collected: EnvFault[] | null = null

/**
 * From now on faults are collected and not thrown, so that a server that starts can report all at once. Returns the way
 * to end that, which gives those that were collected.
 */
export function collectEnvFaults(): () => readonly EnvFault[] {
  const faults: EnvFault[] = (collected = [])
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
export function refuseEnv<T>(fault: EnvFault, instead: T): T {
  const { name, purpose, example } = fault
  if (collected === null) throw new TypeError(`${name} ${fault.fault}: ${purpose}. Set it, as in ${example}`)
  if (!collected.some((known) => known.name === name)) collected.push(fault)
  return instead
}
