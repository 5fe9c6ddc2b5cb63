/**
 * Returns whether this process only inspects the definitions of a project, as `sdk build`, `sdk list` and `sdk types` do. Then nothing
 * is opened, migrated or written, and the settings of production are not required. The command line sets `SDK_PHASE`.
 */
export function isInspecting(env: NodeJS.ProcessEnv = process.env): boolean {
  return env['SDK_PHASE'] === 'inspect'
}
