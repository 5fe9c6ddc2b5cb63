import { StepUsageError } from '../run-error.ts'
import { createAsyncStorage, type AsyncStorage } from '../../platform/async-storage.ts'

/** The name of the step that the current code runs in. */
export const currentStep: AsyncStorage<string> = createAsyncStorage<string>()

/** Yields the chunks of a step and returns its value, with `currentStep` set while its code runs. */
export async function* iterateInStep<T>(name: string, work: () => AsyncIterable<T>): AsyncGenerator<T, unknown> {
  const source = currentStep.run(name, () => toIterator(name, work()))
  try {
    for (;;) {
      const next = await currentStep.run(name, () => source.next())
      if (next.done === true) return next.value
      yield next.value
    }
  } finally {
    await source.return?.()
  }
}

function toIterator<T>(name: string, chunks: AsyncIterable<T>): AsyncIterator<T, unknown> {
  const source: Partial<AsyncIterable<T>> | undefined = chunks
  const iterator = source?.[Symbol.asyncIterator]?.()
  if (iterator !== undefined) return iterator
  const got = source instanceof Promise ? 'a promise: await inside an async generator function' : typeof source
  throw new StepUsageError(`the step ${JSON.stringify(name)} must return an async iterable to stream, got ${got}`)
}
