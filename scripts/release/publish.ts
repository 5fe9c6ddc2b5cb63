import type { Packed } from '../publishable.ts'
import { inDependencyOrder } from './preconditions.ts'
import { type CommandOptions, lastLines, mustRun, ReleaseError } from './run-command.ts'

/** Options for `publishAll`. */
export interface PublishOptions extends CommandOptions {
  /** Options for `npm publish`. */
  readonly flags: string
  progress(line: string): void
}

/** Publishes tarballs in dependency order, so that no package is available before its dependencies. */
export async function publishAll(packages: readonly Packed[], options: PublishOptions): Promise<void> {
  for (const { name, version, tarball } of inDependencyOrder(packages)) {
    await mustRun(`npm publish '${tarball}' ${options.flags}`, options)
    options.progress(`  published ${name}@${version}`)
  }
}

/**
 * Runs `npm publish --dry-run` for each package. A warning is an error, since npm then publishes something different.
 */
export async function tryPublishing(packages: readonly Packed[], options: PublishOptions): Promise<void> {
  for (const { name, folder } of inDependencyOrder(packages)) {
    // Run on the folder, since npm corrects and reports mistakes in a manifest only there.
    const outcome = await mustRun(`npm publish '${folder}' --dry-run --ignore-scripts ${options.flags}`, options)
    const warnings = outcome.output
      .split('\n')
      .filter((line) => /^npm (warn|error) (?!Unknown)/i.test(line) && !isUsual(line))
    if (warnings.length > 0) {
      throw new ReleaseError(`npm publish --dry-run of ${name} warns:\n${lastLines({ output: warnings.join('\n') })}`)
    }
    options.progress(`  npm would publish ${name}`)
  }
}

/** Matches the warning that a dry run without a login prints. */
function isUsual(line: string): boolean {
  return line.includes('This command requires you to be logged in')
}
