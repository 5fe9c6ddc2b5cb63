import type { Settings } from '../api.ts'
import type { Run } from '../run.ts'
import { toRecordLine } from './records.ts'
import type { IndexEntry, RunIndex } from './run-index.ts'
import type { Segment, SegmentFiles } from './segments.ts'

/** The limits on stored runs. */
export type Limits = Pick<Settings, 'maxRuns' | 'maxBytes'>

/** Drops the oldest unpinned runs until the limits are met, and deletes files in which no runs remain. */
export async function retain(index: RunIndex, segments: SegmentFiles, limits: Limits): Promise<void> {
  dropSurplus(index, limits)
  for (const { segment, used } of index.segments())
    if (used === 0 && isDeletable(segment, segments)) await deleteSegment(segment, index, segments)
  for (const { segment } of index.segments()) {
    if (index.bytes() <= limits.maxBytes) return
    if (isDeletable(segment, segments)) await emptySegment(segment, index, { segments, limits })
  }
}

/** Drops the oldest unpinned runs until there are at most `maxRuns`. */
export function dropSurplus(index: RunIndex, { maxRuns }: Pick<Limits, 'maxRuns'>): void {
  const loose = index.entries().filter(({ summary, location }) => !summary.isPinned && !location.segment.isForeign)
  const surplus = loose.length - maxRuns
  if (surplus <= 0) return
  const now = Date.now()
  // Runs with a time in the future are dropped first: the clock was wrong, and every new run would seem to be older.
  const isAhead = ({ summary }: IndexEntry): boolean => summary.startedAt > now
  const byAge = [...loose.filter(isAhead), ...loose.filter((entry) => !isAhead(entry))]
  for (const { summary } of byAge.slice(0, surplus)) index.delete(summary.id)
}

/** Deletes all runs that are not pinned, and returns their number. */
export async function clearRuns(index: RunIndex, segments: SegmentFiles): Promise<number> {
  const loose = index.entries().filter(({ summary }) => !summary.isPinned)
  for (const { summary } of loose) index.delete(summary.id)
  const pinned = index.entries().filter(({ location }) => !location.segment.isForeign)
  const old = index.segments().filter(({ segment }) => !segment.isForeign)
  // Close the current file, which would otherwise retain the deleted runs.
  await segments.close()
  await moveForward(pinned, index, segments)
  for (const { segment } of old) await deleteSegment(segment, index, segments)
  return loose.length
}

function isDeletable(segment: Segment, segments: SegmentFiles): boolean {
  return !segment.isForeign && segment !== segments.current()
}

/**
 * Frees the oldest file by moving its pinned runs to the newest file. If the files mostly contain outdated states of
 * runs, all of its current runs are moved, so that outdated states do not displace other runs.
 */
async function emptySegment(
  segment: Segment,
  index: RunIndex,
  { segments, limits }: { segments: SegmentFiles; limits: Limits },
): Promise<void> {
  const all = index.entries().filter(({ location }) => location.segment === segment)
  const isMostlyFormer = index.used() <= limits.maxBytes / 2
  const kept = all.filter(({ summary }) => isMostlyFormer || summary.isPinned)
  const keptBytes = kept.reduce((sum, { location }) => sum + location.bytes, 0)
  if (keptBytes === segment.size) return // nothing to free
  for (const { summary } of all) if (!isMostlyFormer && !summary.isPinned) index.delete(summary.id)
  await moveForward(kept, index, segments)
  await deleteSegment(segment, index, segments)
}

async function moveForward(entries: readonly IndexEntry[], index: RunIndex, segments: SegmentFiles): Promise<void> {
  for (const { summary, location } of entries) {
    const run = await segments.read(location)
    if (run === null) index.delete(summary.id)
    else await appendRuns([{ ...run, ...summary }], index, segments)
  }
}

/** Appends runs to the files and adds them to the index. */
export async function appendRuns(runs: readonly Run[], index: RunIndex, segments: SegmentFiles): Promise<void> {
  const locations = await segments.append(runs.map(toRecordLine))
  for (const [at, run] of runs.entries()) {
    const location = locations[at]
    if (location !== undefined) index.set(run, location)
  }
}

/** Forgets the runs whose files were deleted, for example together with the folder `.sdk`. */
export async function forgetDeleted(index: RunIndex, segments: SegmentFiles): Promise<void> {
  if (!(await segments.closeDeleted())) return
  for (const { segment } of index.segments()) if (!(await segments.exists(segment))) index.deleteRuns(segment)
}

async function deleteSegment(segment: Segment, index: RunIndex, segments: SegmentFiles): Promise<void> {
  index.deleteSegment(segment)
  await segments.remove(segment)
}
