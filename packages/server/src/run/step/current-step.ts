import { createAsyncStorage, type AsyncStorage } from '../../platform/async-storage.ts'

/** The name of the step that the current code runs in. */
export const currentStep: AsyncStorage<string> = createAsyncStorage<string>()

/** Iterates over the chunks of a step, with `currentStep` set while its code runs. */
export async function* iterateInStep<T>(name: string, work: () => AsyncIterable<T>): AsyncGenerator<T, void> {
  const source = currentStep.run(name, () => work()[Symbol.asyncIterator]())
  try {
    for (;;) {
      const next = await currentStep.run(name, () => source.next())
      if (next.done === true) return
      yield next.value
    }
  } finally {
    await source.return?.()
  }
}
