import { StepUsageError } from '../run-error.ts'
import { currentStep } from './current-step.ts'

/** The suffixes of the names under which sleeps, waits, starts and calls are stored. The name of a step cannot end with them. */
export const SUFFIXES = { step: '', sleep: '#sleep', wait: '#0', start: '#start', call: '#call' } as const

const RESERVED = /#(?:\d+|sleep|start|call|end)$/

/** Matches the names of sleeps and waits. */
export const PAUSE_KEY: RegExp = /#(?:0|sleep(?:#\d+)?)$/

/** Throws a `TypeError` if a step cannot have this name. */
export function assertName(kind: keyof typeof SUFFIXES, name: string): void {
  // The database would replace a lone surrogate, so that the step is not found again, and rejects a null character.
  const isInvalid = typeof name !== 'string' || name.length < 1 || name.length > 200 || /[\0\p{Surrogate}]/u.test(name)
  if (isInvalid || (kind !== 'wait' && RESERVED.test(name)))
    throw new StepUsageError(
      `the ${kind} ${JSON.stringify(name)} must have a name of 1 to 200 valid characters ` +
        'that does not end with #end, #sleep, #start, #call or # and a number',
    )
}

/** Throws a `TypeError` if a step cannot begin inside another step or a transaction, or while its namesake is running. */
export function assertAllowed(
  kind: keyof typeof SUFFIXES,
  name: string,
  { isInTransaction, isRunning }: { readonly isInTransaction: boolean; readonly isRunning: boolean },
): void {
  const step = `the ${kind} ${JSON.stringify(name)}`
  const outer = currentStep.getStore()
  if (outer !== undefined)
    throw new StepUsageError(
      `${step} cannot run inside the step ${JSON.stringify(outer)}: call ctx.${kind} in the handler`,
    )
  if (isInTransaction)
    throw new StepUsageError(
      `${step} cannot run inside a transaction: call ctx.${kind} before or after ctx.transaction`,
    )
  if (kind !== 'start' && kind !== 'call' && isRunning)
    throw new StepUsageError(
      `${step} is already running: use a different name for each ${kind}, as in \`read \${source}\``,
    )
}

/** Returns the name that the handler gave to a stored step, with its number if it is repeated. */
export function toGivenName(key: string): string {
  return key.replace(/#(?:0|sleep|start|call)(?=#|$)/, '').replace(/#end$/, '')
}
