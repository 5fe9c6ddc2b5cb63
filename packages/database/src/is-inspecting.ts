/**
 * Returns whether this process only inspects the definitions in a project, as `sdk build`, `sdk list` and `sdk types`
 * do. In that case, nothing is opened, migrated or written, and production settings are not required. The CLI sets
 * `SDK_PHASE`.
 */
export function isInspecting(env: NodeJS.ProcessEnv = process.env): boolean {
  return env['SDK_PHASE'] === 'inspect'
}
