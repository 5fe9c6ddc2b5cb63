import type { DurableContext } from '../../context/durable-context.ts'
import { StepUsageError } from '../run-error.ts'

/** The suffixes of the names under which sleeps, waits and starts are stored. The name of a step cannot end with them. */
export const SUFFIXES = { step: '', sleep: '#sleep', wait: '#0', start: '#start' } as const

const RESERVED = /#(?:\d+|sleep|start|end)$/

/** Matches the names of sleeps and waits. */
export const PAUSE_KEY: RegExp = /#(?:0|sleep(?:#\d+)?)$/

/** Throws a `TypeError` if a step cannot have this name. */
export function assertName(kind: keyof Pick<DurableContext, 'step' | 'sleep' | 'wait' | 'start'>, name: string): void {
  // The database would replace a lone surrogate, and the step would not be found again.
  const isInvalid = typeof name !== 'string' || name.length < 1 || name.length > 200 || /\p{Surrogate}/u.test(name)
  if (isInvalid || (kind !== 'wait' && RESERVED.test(name)))
    throw new StepUsageError(
      `the ${kind} ${JSON.stringify(name)} must have a name of 1 to 200 valid characters ` +
        'that does not end with #end, #sleep, #start or # and a number',
    )
}

/** Returns the name that the handler gave to a stored step, with its number if it is repeated. */
export function toGivenName(key: string): string {
  return key.replace(/#(?:0|sleep|start)(?=#|$)/, '').replace(/#end$/, '')
}
