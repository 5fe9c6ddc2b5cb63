import type { Reading } from './reading.ts'

/** A metric and its samples. */
export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

/** One value of a metric. */
export interface Sample {
  /** What follows the metric's name, such as `_bucket`. @default '' */
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** Metrics in the exposition format 0.0.4 of Prometheus. */
export function metricText(families: readonly MetricFamily[]): string {
  return families.map(familyText).join('')
}

/** What is read now. One reading that fails leaves the others to be read. */
export function toFamily({ name, help, type = 'gauge', read }: Reading): MetricFamily {
  try {
    return { name, help, type, samples: [{ value: read() }] }
  } catch {
    return { name, help, type, samples: [] }
  }
}

function familyText({ name, type, help, samples }: MetricFamily): string {
  const head = `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n`
  return head + samples.map((sample) => `${name}${toSampleText(sample)}\n`).join('')
}

function toSampleText({ suffix = '', labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeText(text).replaceAll('"', '\\"')}"`)
  return `${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}`
}

function escapeText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function numberText(value: number): string {
  return Math.abs(value) === Infinity ? `${value > 0 ? '+' : '-'}Inf` : String(value)
}
