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

/** From now on faults are noted and not thrown: a server that starts tells of all at once. The list grows. */
export function collectEnvFaults(): readonly EnvFault[] {
  return (collected ??= [])
}

/**
 * Refuses what the environment says: throws, or, in a built server that starts, gives `instead`, so that the others are
 * found and told, too. Nobody is ever served with it.
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
