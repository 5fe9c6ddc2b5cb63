import type { ReactNode } from 'react'

interface SearchInputProps {
  readonly label: string
  /** @default 'Filter' */
  readonly placeholder?: string
  readonly value: string
  readonly onChange: (text: string) => void
}

/** A search field with a label for screen readers. */
export function SearchInput({ label, placeholder = 'Filter', value, onChange }: SearchInputProps): ReactNode {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
