import { createAsyncStorage, type AsyncStorage } from '../../platform/async-storage.ts'

/** The name of the step that the current code runs in. */
export const currentStep: AsyncStorage<string> = createAsyncStorage<string>()

/** Yields the chunks of a step and returns its value, with `currentStep` set while its code runs. */
export async function* iterateInStep<T>(name: string, work: () => AsyncIterable<T>): AsyncGenerator<T, unknown> {
  const source: AsyncIterator<T, unknown> = currentStep.run(name, () => work()[Symbol.asyncIterator]())
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
