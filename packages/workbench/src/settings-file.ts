import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Settings } from './api.ts'

/** A project's workbench settings, stored on disk. */
export interface SettingsFile {
  get(): Settings
  /** Updates the settings. Returns an error if they could not be saved and will be lost on restart, otherwise null. */
  set(settings: Settings): string | null
}

const DEFAULT_SETTINGS: Settings = { maxRuns: 500, maxBytes: 200_000_000, redact: [], isRecording: true }

/**
 * Opens the settings in a folder such as `.sdk/workbench`. Missing or invalid settings are replaced by their defaults.
 */
export function openSettings(folder: string): SettingsFile {
  const file = join(folder, 'settings.json')
  let now = readSettings(file)
  return {
    get: () => now,
    set(settings) {
      now = settings
      return writeSettings(file, settings)
    },
  }
}

function writeSettings(file: string, settings: Settings): string | null {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}.new`, `${JSON.stringify(settings, null, 2)}\n`)
    renameSync(`${file}.new`, file) // atomic: if the process is killed, the old file remains
    return null
  } catch (error) {
    return `cannot write ${file} (${(error as NodeJS.ErrnoException).code ?? String(error)})`
  }
}

function readSettings(file: string): Settings {
  try {
    const { maxRuns, maxBytes, redact, isRecording } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Settings>
    return {
      maxRuns: Number.isInteger(maxRuns) ? Number(maxRuns) : DEFAULT_SETTINGS.maxRuns,
      maxBytes: Number.isInteger(maxBytes) ? Number(maxBytes) : DEFAULT_SETTINGS.maxBytes,
      redact: Array.isArray(redact) ? redact.filter((one) => typeof one === 'string') : DEFAULT_SETTINGS.redact,
      isRecording: isRecording !== false,
    }
  } catch {
    return DEFAULT_SETTINGS // the file does not exist or is not valid JSON
  }
}
