import type { RunRecorder } from './run-store.ts'

/** Resolves when all that these runs need is known: `summary` and `toRun` can be called then. */
export async function loadIdentities(drafts: readonly RunRecorder[]): Promise<void> {
  const asking = drafts.map((draft) => draft.loadIdentity()).filter((one) => one !== null)
  if (asking.length > 0) await Promise.all(asking)
}
