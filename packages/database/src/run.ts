import type { Queryable } from './database.ts'
import type { Run } from './layout.ts'

/** Runs the statements of a store on a database or in a transaction, prepared where they have a name. */
export function runOn(queryable: Queryable): Run {
  return ({ text, values, name }) => queryable.query(name === undefined ? text : { text, name }, values)
}

/**
 * The same outside of transactions, for as long as a program runs: where another process gave a column a wider type,
 * statements that were prepared before fail, and are prepared anew.
 */
export function runForLong(queryable: Queryable): Run {
  const run = runOn(queryable)
  let round = 0
  return async (statement) => {
    const { text, values, name } = statement
    if (name === undefined) return run(statement)
    const current = round
    try {
      return await run({ text, values, name: current === 0 ? name : `${name}_${current}` })
    } catch (error) {
      if (!isOutdated(error)) throw error
      round = Math.max(round, current + 1)
      return run({ text, values })
    }
  }
}

function isOutdated(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === '0A000' &&
    Reflect.get(error, 'routine') === 'RevalidateCachedQuery'
  )
}
