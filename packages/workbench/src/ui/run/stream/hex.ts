const BYTES_PER_ROW = 16

/** Formats bytes as a hex dump. Each line has an offset, sixteen bytes, and their ASCII characters. */
export function toHex(bytes: Uint8Array): string {
  const rows: string[] = []
  for (let offset = 0; offset < bytes.length; offset += BYTES_PER_ROW) {
    const row = [...bytes.subarray(offset, offset + BYTES_PER_ROW)]
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0'))
    const halves = [hex.slice(0, 8).join(' '), hex.slice(8).join(' ')].join('  ')
    rows.push(
      `${offset.toString(16).padStart(6, '0')}  ${halves.padEnd(BYTES_PER_ROW * 3)}  ${row.map(toAscii).join('')}`,
    )
  }
  return rows.join('\n')
}

function toAscii(byte: number): string {
  return byte > 0x1f && byte < 0x7f ? String.fromCodePoint(byte) : '·'
}
