// Package group puts the elements of a list together that belong together.
package group

// By groups the elements of a list that have the same key, in the order of the first of each.
func By[T any, K comparable](list []T, key func(T) K) (groups [][]T) {
	at := make(map[K]int)
	for _, element := range list {
		k := key(element)
		i, known := at[k]
		if !known {
			i, at[k] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], element)
	}
	return groups
}

// Unique returns each element of a list once, in the order of the first of each.
func Unique[T comparable](list []T) (unique []T) {
	for _, alike := range By(list, func(element T) T { return element }) {
		unique = append(unique, alike[0])
	}
	return unique
}
