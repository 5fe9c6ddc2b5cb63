import type { RunDraft } from './run-store.ts'

/** Settles when these runs can be put in words. */
export async function askAll(drafts: readonly RunDraft[]): Promise<void> {
  const asking = drafts.map((draft) => draft.ask()).filter((one) => one !== null)
  if (asking.length > 0) await Promise.all(asking)
}
