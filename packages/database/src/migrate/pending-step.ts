import { MigrationError, type FileStep, type MigrationFile } from './migration-file.ts'

/** A step that the database has recorded as applied. */
export interface AppliedStep {
  readonly file: string
  /** The number of the step in its file, beginning with 1. */
  readonly step: number
  /** The number of steps that the file had when this one was applied. */
  readonly steps: number
  readonly checksum: string
}

/** The step to apply next. */
export interface PendingStep extends FileStep {
  readonly file: string
  readonly number: number
  readonly steps: number
}

/**
 * Finds the first step that has not been applied. Returns null if all steps have been applied, and throws a
 * `MigrationError` if a file was edited after it was applied. Applied files that are not in `files` belong to a newer
 * version of the app.
 */
export function findPendingStep(files: readonly MigrationFile[], applied: readonly AppliedStep[]): PendingStep | null {
  for (const { name, steps } of files) {
    const done = countApplied({ name, steps }, applied)
    const step = steps[done]
    if (step !== undefined) return { ...step, file: name, number: done + 1, steps: steps.length }
  }
  return null
}

/** Lists the files with pending steps, and the number of pending steps in each file. */
export function listPendingFiles(
  files: readonly MigrationFile[],
  applied: readonly AppliedStep[],
): { name: string; steps: number }[] {
  return files
    .map((file) => ({ name: file.name, steps: file.steps.length - countApplied(file, applied) }))
    .filter(({ steps }) => steps > 0)
}

function countApplied({ name, steps }: MigrationFile, applied: readonly AppliedStep[]): number {
  const own = applied.filter(({ file }) => file === name)
  for (const { step, checksum } of own)
    if (steps[step - 1]?.checksum !== checksum) throw toEditedError(name, `step ${step} has already been applied`)
  const isComplete = own.some(({ step, steps: total }) => step === total)
  if (isComplete && own.length !== steps.length) throw toEditedError(name, 'the whole file has already been applied')
  return own.length
}

function toEditedError(name: string, why: string): MigrationError {
  const fix = 'restore the file, and put the change in a new file'
  return new MigrationError(`migrations/${name} was edited, but ${why}: ${fix}`, { code: 'MIGRATION_EDITED' })
}
