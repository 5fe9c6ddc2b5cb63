import type { RunRecorder } from './run-store.ts'

/** Resolves when all that these runs need is known: `summary` and `toRun` can be called then. */
export async function loadIdentities(recorders: readonly RunRecorder[]): Promise<void> {
  const asking = recorders.map((recorder) => recorder.loadIdentity()).filter((one) => one !== null)
  if (asking.length > 0) await Promise.all(asking)
}
