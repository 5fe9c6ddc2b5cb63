import type { ReactNode } from 'react'

type SearchInputProps = { label: string; placeholder?: string; value: string; onChange: (text: string) => void }

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
