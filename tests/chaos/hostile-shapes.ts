const MIB = 1_048_576

/** Bodies of the maximum size without useful content: each is cheap to send and expensive to validate. */
export const HOSTILE_SHAPES: Readonly<Record<string, () => string>> = {
  'empty objects': () => inList('messages', () => '{}'),
  numbers: () => inList('messages', () => '1'),
  'nested lists': () => inList('messages', () => '[[]]'),
  'long keys': () => `{"messages":[{"${'k'.repeat(MIB - 30)}":1}]}`,
  'many keys': () => toObject((at) => `"key${at}":1`),
  deep: () => `{"messages":${'['.repeat(MIB / 2 - 10)}${']'.repeat(MIB / 2 - 10)}}`,
  'wide unions': () => inList('messages', (at) => `{"kind":"none","id":${at}}`),
  records: () => `{"byName":${toObject((at) => `"name${at}":{}`, 12)}}`,
  strings: () => inList('messages', () => '"text"'),
  mixed: () => inList('messages', (at) => ['{}', '[]', '1', '"a"', 'null', '{"id":1}'][at % 6] ?? ''),
  'duplicate keys': () => toObject((at) => `"key${at % 100_000}":1`),
  unicode: () => inList('tags', (at) => (at < 40_000 ? String.raw`"\u00e9\ud83d\ude00"` : String.raw`"\ud83d"`)),
  // Just below the limits: these are validated.
  'as many objects as allowed': () => `{"messages":[${'{},'.repeat(1_990)}{"id":"${'a'.repeat(MIB / 2)}"}]}`,
  'as many numbers as allowed': () => `{"tags":[${'1234,'.repeat(199_900)}1]}`,
  'as many names as allowed': () => `{"byName":${toObject((at) => `"n${at}":1`, 12, 1_990)}}`,
  'short lists': () => `{"messages":[${`[${'1,'.repeat(15)}1],`.repeat(1_990)}1]}`,
}

function inList(name: string, item: (at: number) => string): string {
  const head = `{"${name}":[`
  return `${head}${repeatItems(item, MIB - head.length - 2)}]}`
}

function toObject(member: (at: number) => string, around = 2, max = Number.POSITIVE_INFINITY): string {
  return `{${repeatItems(member, MIB - around - 2, max)}}`
}

function repeatItems(item: (at: number) => string, size: number, max = Number.POSITIVE_INFINITY): string {
  const items: string[] = []
  for (let at = 0, length = 0; at < max; at++) {
    const next = item(at)
    length += next.length + 1
    if (length > size) break
    items.push(next)
  }
  return items.join(',')
}
