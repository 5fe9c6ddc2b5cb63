/**
 * Is this process only looking at what the project defines, as `sdk build`, `sdk list` and `sdk types` do? Then nothing
 * is opened, migrated or written, and the settings of production are not asked for. The command line sets `SDK_PHASE`.
 */
export function isInspecting(env: NodeJS.ProcessEnv = process.env): boolean {
  return env['SDK_PHASE'] === 'inspect'
}
