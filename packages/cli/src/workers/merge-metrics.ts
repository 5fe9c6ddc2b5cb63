/** The metrics of one worker, in the Prometheus exposition format. */
export interface WorkerMetrics {
  /** The number of the worker, or null for the counters of workers that have exited. */
  readonly worker: number | null
  readonly text: string
}

interface MergedFamily {
  readonly head: string
  readonly samples: Map<string, number>
}

/**
 * Merges the metrics of workers. Counters and histograms are sums. Each gauge has the label `worker`, since the sum of
 * values such as a delay has no meaning.
 */
export function mergeMetrics(all: readonly WorkerMetrics[]): string {
  const families = new Map<string, MergedFamily>()
  for (const { worker, text } of all) addMetrics(families, worker, text)
  return Array.from(families.values(), toFamilyText).join('')
}

/** Returns only the counters and histograms of a worker that has exited, whose sums must not decrease. */
export function countersOf(text: string): string {
  return mergeMetrics([{ worker: null, text }])
}

const HEAD = /^# TYPE (\S+) (\S+)$/
const SAMPLE = /^([^\s{]+)(?:\{(.*)\})? (\S+)$/

function addMetrics(families: Map<string, MergedFamily>, worker: number | null, text: string): void {
  let help = ''
  let family: MergedFamily | undefined
  let isGauge = false
  for (const line of text.split('\n')) {
    if (line.startsWith('# HELP ')) help = line
    const [, name, type] = HEAD.exec(line) ?? []
    if (name !== undefined) {
      isGauge = type === 'gauge'
      if (isGauge && worker === null) family = undefined
      else families.set(name, (family = families.get(name) ?? { head: `${help}\n${line}\n`, samples: new Map() }))
    }
    const [, sample, labels = '', value] = SAMPLE.exec(line) ?? []
    if (sample === undefined || family === undefined || line.startsWith('#')) continue
    const pairs = [...(labels === '' ? [] : [labels]), ...(isGauge ? [`worker="${worker}"`] : [])]
    const key = `${sample}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`}`
    family.samples.set(key, (family.samples.get(key) ?? 0) + Number(value))
  }
}

function toFamilyText({ head, samples }: MergedFamily): string {
  return head + Array.from(samples, ([key, value]) => `${key} ${value}\n`).join('')
}
