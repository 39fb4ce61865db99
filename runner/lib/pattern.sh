# shellcheck shell=bash
# What a text from outside must look like before anything is done with it.
# The characters stand one by one: ranges such as a-z mean other characters in other locales.

# Usage:   primus_is_identifier TEXT
# Does:    tells whether TEXT may name an environment variable.
# Status:  0 yes, 1 no.
# Example: primus_is_identifier "$name" || return 2
primus_is_identifier() {
  case ${1-} in
    '' | [0123456789]*) return 1 ;;
    *[!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_]*) return 1 ;;
  esac
}

# A whole number of at most nine digits, without sign or leading zero, so that arithmetic can hold it.
_primus_is_count() {
  case ${1-} in
    0) return 0 ;;
    '' | 0* | *[!0123456789]* | ??????????*) return 1 ;;
  esac
}

# A name that can stand in a path as one folder: no slash, no leading dot or hyphen.
_primus_is_folder_name() {
  case ${1-} in
    '' | .* | -*) return 1 ;;
    *[!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-]*) return 1 ;;
  esac
}

# The name of an argument that a hook adds: dots nest, hyphens are common.
_primus_is_argument_name() {
  case ${1-} in
    '' | [!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_]*) return 1 ;;
    *[!abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-]*) return 1 ;;
  esac
}
