//! Completions in Bash, for words that Bash splits.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use clap_complete::env::{Bash, EnvCompleter};

/// A function of the script that calls the function of the parser, `FUNCTION`, with whole words.
///
/// Bash splits words at the characters of `COMP_WORDBREAKS`, among them `=` and `:`, and replaces only the last part of
/// the word by a completion. The parts of a word have no blanks between them in the line.
const WHOLE_WORDS: &str = r##"
# Bash splits words at = and at :. This function joins the parts of each word, and completes the last part.
FUNCTION_of_parts() {
    local rest=$COMP_LINE word="" begun="" last=-1 current=0 place part gap
    local -a words=()
    for place in "${!COMP_WORDS[@]}"; do
        part=${COMP_WORDS[place]}
        gap=${rest%%[![:space:]]*}
        rest=${rest#"$gap"}
        rest=${rest#"$part"}
        if [[ -n $gap || ${word: -1}${part:0:1} != *[=:]* ]]; then
            word=""
            last=$((last + 1))
        fi
        if [[ $place -eq $COMP_CWORD ]]; then
            current=$last
            begun=$word
            if [[ -z $2 && $part == [=:]* ]]; then
                begun+=$part
            fi
        fi
        word+=$part
        # Outside of quotes, a blank of a name has a backslash before it.
        [[ $word == [\"\']* ]] && words[last]=$word || words[last]=${word//\\}
    done
    # Other words lose their quotes.
    for place in "${!words[@]}"; do
        if [[ $place -ne $current && ${words[place]} == [\"\']* ]]; then
            local quote=${words[place]:0:1}
            words[place]=${words[place]#"$quote"}
            words[place]=${words[place]%"$quote"}
        fi
    done
    # Bash removes the quote at the beginning of a word from $2, but not the backslashes.
    local text=$2 is_quoted=""
    if [[ ${COMP_WORDS[COMP_CWORD]} == [\"\']* ]]; then
        is_quoted=1
    else
        begun=${begun//\\}
        text=${text//\\}
    fi
    local COMP_WORDS=("${words[@]}") COMP_CWORD=$current
    FUNCTION "$1" "$begun$text" "$3"
    COMPREPLY=("${COMPREPLY[@]#"$begun"}")
    if [[ -z $is_quoted ]]; then
        local mark
        for mark in '\' ' ' '"' "'" '$' '`' '(' ')' '&' ';' '|' '<' '>' '*' '?'; do
            COMPREPLY=("${COMPREPLY[@]//"$mark"/"\\$mark"}")
        done
    fi
}
"##;

/// Bash, whose completions are those of whole words.
#[derive(Clone, Copy, Debug)]
pub(super) struct WholeWordBash;

impl EnvCompleter for WholeWordBash {
    fn name(&self) -> &'static str {
        Bash.name()
    }

    fn is(&self, name: &str) -> bool {
        Bash.is(name)
    }

    fn write_registration(
        &self,
        var: &str,
        name: &str,
        bin: &str,
        completer: &str,
        buf: &mut dyn io::Write,
    ) -> Result<(), io::Error> {
        let mut script = Vec::new();
        Bash.write_registration(var, name, bin, completer, &mut script)?;
        let function = format!("_clap_complete_{}", name.replace('-', "_"));
        let registered = format!("-F {function} ");
        let script = String::from_utf8_lossy(&script).replace(&registered, &format!("-F {function}_of_parts "));
        write!(buf, "{}{}", script.trim_end(), WHOLE_WORDS.replace("FUNCTION", &function))
    }

    fn write_complete(
        &self,
        cmd: &mut clap::Command,
        args: Vec<OsString>,
        current_dir: Option<&Path>,
        buf: &mut dyn io::Write,
    ) -> Result<(), io::Error> {
        Bash.write_complete(cmd, args, current_dir, buf)
    }
}
