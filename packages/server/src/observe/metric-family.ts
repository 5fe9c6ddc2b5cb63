/** A metric with its samples. */
export interface MetricFamily {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly samples: readonly Sample[]
}

/** A value of a metric. */
export interface Sample {
  /** The suffix of the metric's name, such as `_bucket`. @default '' */
  readonly suffix?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** Returns a metric in the Prometheus exposition format 0.0.4. */
export function familyText({ name, type, help, samples }: MetricFamily): string {
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
